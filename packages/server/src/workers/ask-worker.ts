import type { Worker } from 'node:cluster';
import { type Ask, isAnswered } from './messages.ts';

let last = 0;

/**
 * Asks a worker and waits for its answer.
 *
 * @throws what the worker threw; an Error where it is gone
 */
export function askWorker(worker: Worker, ask: Ask): Promise<unknown> {
  const berth = ++last;
  return new Promise((resolve, reject) => {
    const settle = () => {
      worker.off('message', onMessage).off('exit', onExit);
    };
    const onMessage = (message: unknown) => {
      if (!isAnswered(message) || message.berth !== berth) return;
      settle();
      const { answer, error } = message;
      if (error === undefined) resolve(answer);
      else reject(Object.assign(new Error(error.message), error.fields));
    };
    const onExit = () => {
      settle();
      reject(new Error(`Worker ${worker.id} is gone.`));
    };
    worker.on('message', onMessage).on('exit', onExit);
    worker.send({ berth, ...ask }, (error) => {
      if (error === null) return;
      settle();
      reject(error);
    });
  });
}
