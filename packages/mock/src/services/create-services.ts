import { dirname, resolve } from 'node:path';
import { inspect } from 'node:util';
import { openLive, type Watch } from '../live.ts';
import type { ResolvedOptions } from '../options.ts';
import { echo, hello } from './built-in.ts';
import { codeService } from './code-service.ts';
import { documentService } from './document-service.ts';
import { findNameProblem, type HostedServices, unknownService } from './service.ts';
import type { RunningService, ServiceContext, ServiceKind } from './service-kind.ts';
import { openServicesFile, ServicesError } from './services-file.ts';
import { urlService } from './url-service.ts';

const SERVICE_KINDS: readonly ServiceKind[] = [codeService, urlService, documentService];

export type Services = Awaited<ReturnType<typeof createServices>>;

/** Creates the hosted services: the user's, `hello` and `echo`. A change in one of their files applies from the next call. */
export async function createServices(options: ResolvedOptions) {
  const { services: source } = options;
  const folder = typeof source === 'string' ? dirname(resolve(source)) : process.cwd();

  async function startAll(definitions: HostedServices, watch: Watch) {
    const running = new Map<string, RunningService>([['hello', hello]]);
    for (const [name, definition] of Object.entries({ echo, ...definitions })) {
      const problem = findNameProblem(name);
      if (problem !== undefined) throw new ServicesError(`services: ${name} ${problem}`);
      try {
        running.set(name, await startService(definition, { name, folder, watch, options }));
      } catch (error) {
        throw new ServicesError(`services: ${name}: ${(error as Error).message}`, { cause: error });
      }
    }
    return running;
  }

  const { read, close } =
    typeof source === 'string'
      ? openServicesFile(source)
      : { read: async () => source ?? {}, close() {} };
  const load = async (watch: Watch) => startAll(await read(watch), watch);
  const services = await openLive(load, options).catch((error) => {
    close();
    throw error;
  });
  return {
    /** @throws GatewayError SERVICE_NOT_FOUND */
    async find(name: string) {
      const running = await services.refresh();
      const found = running.get(name);
      if (found !== undefined) return found;
      const names = [...running.keys()];
      throw unknownService(name, names, 'with --services or the services option');
    },
    close,
  };
}

/** @throws TypeError unless the definition is of exactly one kind */
function startService(definition: unknown, context: ServiceContext) {
  const accepting = SERVICE_KINDS.filter((kind) => kind.accepts(definition));
  const [kind] = accepting;
  if (kind?.accepts(definition) && accepting.length === 1) return kind.start(definition, context);
  const [kinds, end] = kind === undefined ? [SERVICE_KINDS, ''] : [accepting, '; but not both'];
  const expected = kinds.map((each) => each.expected).join('; or ');
  throw new TypeError(`use ${expected}${end}, got ${inspect(definition, { depth: 0 })}.`);
}
