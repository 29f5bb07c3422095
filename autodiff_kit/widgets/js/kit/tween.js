const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** A number that glides: `to(target, pace)` draws every frame on the way, `pace` ms for each whole step; where motion is not wanted it jumps. */
export function Tween({ at, draw }) {
  let frame = 0;
  let goal = at;
  const stop = () => cancelAnimationFrame(frame);
  const set = (next) => {
    stop();
    at = goal = next;
    draw(at);
  };
  function to(target, pace) {
    if (calm()) return set(target);
    stop();
    goal = target;
    const [from, began] = [at, performance.now()];
    const whole = pace * Math.max(0.4, Math.min(1.5, Math.abs(target - from))); // a jump over many steps is not a journey
    const tick = (now) => {
      const part = Math.min(1, Math.max(0, (now - began) / whole));
      at = part === 1 ? target : from + (target - from) * part;
      if (part < 1) frame = requestAnimationFrame(tick);
      draw(at);
    };
    frame = requestAnimationFrame(tick);
  }
  return { set, to, at: () => at, goal: () => goal, destroy: stop };
}
