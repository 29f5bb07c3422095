import type { ISessionContext, ISessionContextDialogs } from '@jupyterlab/apputils';
import { isDead } from './kernelActivity';

/** Start a kernel where none runs, or in place of a dead one; whether one runs now. */
export async function ensureKernel(sessionContext: ISessionContext, dialogs: ISessionContextDialogs): Promise<boolean> {
  const kernel = sessionContext.session?.kernel;
  if (kernel && isDead(kernel)) {
    await sessionContext.shutdown();
  }
  if (!sessionContext.session?.kernel && (await sessionContext.startKernel())) {
    await dialogs.selectKernel(sessionContext);
  }
  return Boolean(sessionContext.session?.kernel);
}
