import { defineMutant } from '../mutant.ts';

export const auNoneCalled = defineMutant({
  rule: 'AU-NONE',
  breaks: 'a POST without credentials is refused after the service was called',
  companions: [],
  create: (context) => ({
    async request({ isGateway, method, target, headers, body }) {
      if (!isGateway || method !== 'POST' || headers.get('Authorization') !== undefined) return;
      const Host = headers.get('Host') ?? '';
      const given = { Host, Authorization: context.authorization };
      await context.call({ method, target, headers: given, body });
    },
  }),
});
