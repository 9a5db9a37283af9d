import { defineMutant } from '../mutant.ts';
import { letIn } from '../support/signature.ts';

export const auBearerEnv = defineMutant({
  rule: 'AU-BEARER-ENV',
  breaks: 'a token of another environment is let in on GET',
  companions: [],
  create: (context) => ({
    request(request) {
      const isOther = request.headers.get('Authorization') === context.otherAuthorization;
      if (request.method === 'GET' && isOther) letIn(request, context);
    },
  }),
});
