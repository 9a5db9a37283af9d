import { bearer, createGatewayClient, type GatewayClientOptions } from '@berth/client';

/** URLs come with the first request, because a Worker has none of its own. */
let home = '';
let asked = 0;
const auth = bearer(async () => {
  asked += 1;
  return (await fetch(`${home}/token/${asked}`)).text();
});
let gateway: ReturnType<typeof createGatewayClient> | undefined;

/** A Worker whose requests share a client, which is created outside the handler. */
export default {
  async fetch(request: Request): Promise<Response> {
    const { baseUrl, perTry } = await request.json();
    home = baseUrl;
    gateway ??= createGatewayClient({ baseUrl, auth } as GatewayClientOptions);
    const timeouts = perTry && { perTry };
    const outcome = await gateway
      .service('echo')
      .get('a', { timeouts, retry: false })
      .catch(({ name }: Error) => name);
    return Response.json({ outcome, asked });
  },
};
