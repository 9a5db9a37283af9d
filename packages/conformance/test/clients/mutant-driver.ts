import { createDriver, serve } from '../../drivers/berth-client.ts';
import { type Mutant, mutants, type Reported, type Task } from './mutants.ts';

// A driver of @berth/client with one fault: node mutant-driver.ts RULE
const mutant = mutants[process.argv[2] as keyof typeof mutants] as Mutant | undefined;

const { BERTH_GATEWAY_URL = '', BERTH_STORAGE_URL = '' } = process.env;

const run = createDriver({
  async fetch(address, init) {
    const url = String(address);
    const server = url.startsWith(BERTH_GATEWAY_URL)
      ? ('gateway' as const)
      : url.startsWith(BERTH_STORAGE_URL)
        ? ('storage' as const)
        : ('files' as const);
    const { method = 'GET', body } = init ?? {};
    const request = { url, server, method, headers: new Headers(init?.headers), body };
    await mutant?.request?.(request);
    const send = async () => {
      const { url: to, headers, body: sent } = request;
      const own = { ...init, headers, body: sent } as RequestInit;
      const response = await fetch(to, own);
      return (await mutant?.response?.(response, request)) ?? response;
    };
    return mutant?.send ? mutant.send(request, send) : send();
  },
});

await serve(async (task) => {
  const correctly = (own: Task) => run(own as typeof task) as Promise<Reported>;
  return mutant?.run ? mutant.run(task, correctly) : correctly(task);
});
