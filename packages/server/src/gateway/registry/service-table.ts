import { isDeepStrictEqual } from 'node:util';

interface Row<Config, Entry> {
  readonly config: Config;
  readonly entry: Entry;
}

/** Entries by environment and name, made from configurations. */
export interface ServiceTable<Config, Entry> {
  get(env: string, name: string): Entry | undefined;
  /**
   * Makes the entries of new and changed configurations, and keeps the others as they are. Nothing has
   * changed until the returned function is called, so that a bad configuration leaves the old in force.
   */
  prepare(configs: readonly Config[]): () => void;
}

export function createServiceTable<Config extends { env: string; name: string }, Entry>(
  make: (config: Config, previous: Entry | undefined) => Entry,
): ServiceTable<Config, Entry> {
  type Rows = Map<string, Map<string, Row<Config, Entry>>>;
  let rows: Rows = new Map();

  const toRow = (config: Config): Row<Config, Entry> => {
    const previous = rows.get(config.env)?.get(config.name);
    if (previous !== undefined && isDeepStrictEqual(previous.config, config)) return previous;
    return { config, entry: make(config, previous?.entry) };
  };

  return {
    get: (env, name) => rows.get(env)?.get(name)?.entry,
    prepare(configs) {
      const next: Rows = new Map();
      for (const config of configs) {
        const services = next.get(config.env) ?? new Map<string, Row<Config, Entry>>();
        next.set(config.env, services);
        if (services.has(config.name)) {
          throw new TypeError(`Service ${config.name} of ${config.env} is configured twice.`);
        }
        services.set(config.name, toRow(config));
      }
      return () => {
        rows = next;
      };
    },
  };
}
