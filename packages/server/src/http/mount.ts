import type { Router } from '@berth/server-stubs';

type Listener = Router['checkContinue'];

/** Makes a listener see its requests without the prefix of their paths, as Express mounts one. */
export function mount(prefix: string, listener: Listener): Listener {
  return (request, response) => {
    const rest = (request.url ?? '/').slice(prefix.length);
    request.url = rest.startsWith('/') ? rest : `/${rest}`;
    listener(request, response);
  };
}
