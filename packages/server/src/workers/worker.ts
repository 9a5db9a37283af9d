import { type Core, createCore } from '../core/create-core.ts';
import { createLog } from '../log/create-log.ts';
import { secretsOf } from '../log/secrets-of.ts';
import { type Answered, type Ask, isAsked } from './messages.ts';

/** Serves as one of several processes: does what the primary process asks, and ends with it. */
export function runWorker(): void {
  let core: Core | undefined;

  async function answer(asked: Ask): Promise<unknown> {
    if (asked.ask === 'start') {
      const { config, workers } = asked;
      const log = createLog({ level: config.log.level, secrets: secretsOf(config) });
      process.on('uncaughtExceptionMonitor', (error) => log.log.fatal({ err: error }, 'failed'));
      core = await createCore(config, log, workers);
      await core.listen();
      return core.url;
    }
    if (core === undefined) throw new Error('The worker has not started.');
    switch (asked.ask) {
      case 'reload':
        return core.reload(asked.config);
      case 'metrics':
        return core.metrics.registry.getMetricsAsJSON();
      case 'unreadiness':
        return core.unreadiness();
      case 'close':
        return core.close();
    }
  }

  process.on('message', (message: unknown) => {
    if (!isAsked(message)) return;
    const { berth } = message;
    const send = (answered: Omit<Answered, 'berth'>) => {
      if (process.connected) process.send?.({ berth, ...answered });
    };
    answer(message).then(
      (result) => send({ answer: result }),
      (error: NodeJS.ErrnoException) =>
        send({ error: { message: error.message, fields: { ...error, name: error.name } } }),
    );
  });
  // The primary process tells when to end; a terminal sends its signals to all.
  const ignore = () => {};
  process.on('SIGINT', ignore).on('SIGTERM', ignore).on('SIGHUP', ignore);
  process.once('disconnect', () => process.exit(1));
}
