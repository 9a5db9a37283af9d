import type { Services } from '../services/services.ts';

/** The smallest thing that stands where a part is still to be plugged in. */
export async function createServices({
  services,
}: {
  services?: readonly string[] | undefined;
}): Promise<Services> {
  return {
    has: (name) => services?.includes(name) ?? true,
    names: () => services ?? [],
    routes: () => [],
    faults: () => [],
    answer: () => undefined,
    open: () => undefined,
    close: async () => {},
  };
}
