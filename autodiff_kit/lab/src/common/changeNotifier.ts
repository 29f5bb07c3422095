/** Notifies listeners of named changes, each at most once a frame. */
export class ChangeNotifier<Name extends string> {
  private readonly listeners = new Map<Name, Set<() => void>>();
  private pending = new Set<Name>();
  private frame = 0;

  on(names: Name[], act: () => void): void {
    for (const name of names) {
      const set = this.listeners.get(name) ?? new Set();
      this.listeners.set(name, set.add(act));
    }
  }

  notify(...names: Name[]): void {
    for (const name of names) {
      this.pending.add(name);
    }
    this.frame ||= requestAnimationFrame(() => this.flush());
  }

  /** Notify now; a listener of two pending changes is called once. */
  flush(): void {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    const due = this.pending;
    this.pending = new Set();
    const acts = new Set<() => void>();
    for (const name of due) {
      this.listeners.get(name)?.forEach(act => acts.add(act));
    }
    acts.forEach(act => act());
  }
}
