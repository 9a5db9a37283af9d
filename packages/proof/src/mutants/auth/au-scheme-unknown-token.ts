import { defineMutant } from '../mutant.ts';
import { letIn } from '../support/signature.ts';

export const auSchemeUnknownToken = defineMutant({
  rule: 'AU-SCHEME-UNKNOWN',
  breaks: 'a good token is let in whatever the word before it',
  companions: [],
  create: (context) => ({
    request(request) {
      const [token] = context.authorization.split(' ').slice(-1);
      const value = request.headers.get('Authorization') ?? '';
      if (value.endsWith(` ${token}`)) letIn(request, context);
    },
  }),
});
