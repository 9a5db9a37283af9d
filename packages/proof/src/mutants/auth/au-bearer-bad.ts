import { defineMutant } from '../mutant.ts';
import { letIn } from '../support/signature.ts';

export const auBearerBad = defineMutant({
  rule: 'AU-BEARER-BAD',
  breaks: 'a token of algorithm none is let in',
  companions: [],
  create: (context) => ({
    request(request) {
      const [, header = ''] =
        /^Bearer ([\w-]+)\.[\w-]+\.$/.exec(request.headers.get('Authorization') ?? '') ?? [];
      const text = Buffer.from(header, 'base64url').toString();
      if (text.includes('"alg":"none"')) letIn(request, context);
    },
  }),
});
