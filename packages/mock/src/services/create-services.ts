import { dirname, resolve } from 'node:path';
import type { OnProblem } from '../live.ts';
import type { ResolvedOptions } from '../options.ts';
import { echo, hello } from './built-in.ts';
import { codeService } from './code-service.ts';
import { documentService } from './document-service.ts';
import { findNameProblem, type HostedServices } from './service.ts';
import type { RunningService, ServiceKind } from './service-kind.ts';
import { openServicesFile, ServicesError } from './services-file.ts';
import { urlService } from './url-service.ts';

/** The first that accepts a definition starts it. `documentService` accepts any other string, so it is last. */
const KINDS: readonly ServiceKind<unknown>[] = [codeService, urlService, documentService];

export type Services = Awaited<ReturnType<typeof createServices>>;

/**
 * Creates the hosted services: those of the user, `hello` and `echo`. If they are in a file, changes apply from the next call;
 * if the file is invalid, the last valid version stays.
 */
export async function createServices(options: ResolvedOptions, onProblem: OnProblem) {
  const { services: source } = options;
  const folder = typeof source === 'string' ? dirname(resolve(source)) : process.cwd();

  async function startAll(definitions: HostedServices) {
    const running = new Map<string, RunningService>([['hello', hello]]);
    for (const [name, definition] of Object.entries({ echo, ...definitions })) {
      const problem = findNameProblem(name);
      if (problem !== undefined) throw new ServicesError(`services: ${name} ${problem}`);
      try {
        const kind = KINDS.find(({ accepts }) => accepts(definition));
        if (!kind) throw new TypeError(`use ${KINDS.map(({ form }) => form).join(', ')}.`);
        const context = { name, folder, options, onProblem };
        running.set(name, await kind.start(definition, context));
      } catch (error) {
        throw new ServicesError(`services: ${name}: ${(error as Error).message}`, { cause: error });
      }
    }
    return running;
  }

  const { services, close } =
    typeof source === 'string'
      ? await openServicesFile(source, startAll, onProblem)
      : { services: { current: await startAll(source ?? {}), refresh() {} }, close() {} };
  return {
    async find(name: string) {
      await services.refresh();
      return services.current.get(name);
    },
    names: () => [...services.current.keys()],
    close,
  };
}
