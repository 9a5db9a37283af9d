import { defineMutant } from '../mutant.ts';
import { letIn } from '../support/signature.ts';

export const auSchemeUnknown = defineMutant({
  rule: 'AU-SCHEME-UNKNOWN',
  breaks: 'whoever comes with Basic is let in',
  companions: [],
  create: (context) => ({
    request(request) {
      const value = request.headers.get('Authorization') ?? '';
      if (/^Basic \S/.test(value)) letIn(request, context);
    },
  }),
});
