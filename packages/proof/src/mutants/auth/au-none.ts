import { defineMutant } from '../mutant.ts';
import { letIn } from '../support/signature.ts';

export const auNone = defineMutant({
  rule: 'AU-NONE',
  breaks: 'a POST to the root needs no credentials',
  companions: [],
  create: (context) => ({
    request(request) {
      const { isGateway, method, path, service, headers } = request;
      if (!isGateway || method !== 'POST' || path !== `/v1/cloudrun/${service}`) return;
      if (headers.get('Authorization') === undefined) letIn(request, context);
    },
  }),
});
