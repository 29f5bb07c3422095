/* The worker of a lesson's kernel: JupyterLite's own, in which Python starts before the kernel asks for it. */
import '$worker';
import { begin } from './start.mjs';

begin().catch(() => undefined); // the kernel hears of it when it asks
