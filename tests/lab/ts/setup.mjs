// Lets node read the front end's sources as they stand: `./tape` is `./tape.ts`.
import { registerHooks } from 'node:module';

registerHooks({
  resolve(name, context, next) {
    const bare = name.startsWith('.') && !/\.(m?ts|mjs|json)$/.test(name);
    return next(bare ? `${name}.ts` : name, context);
  }
});

let now = 0;
globalThis.requestAnimationFrame = act => setTimeout(() => act((now += 1000)), 0);
globalThis.cancelAnimationFrame = id => clearTimeout(id);
globalThis.matchMedia = () => ({ matches: false });
