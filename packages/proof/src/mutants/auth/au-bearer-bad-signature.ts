import { defineMutant } from '../mutant.ts';
import { letIn } from '../support/signature.ts';

export const auBearerBadSignature = defineMutant({
  rule: 'AU-BEARER-BAD',
  breaks: 'the signature of a token is not looked at',
  companions: [],
  create: (context) => ({
    request(request) {
      const [head, payload] = context.authorization.split('.');
      const [givenHead, givenPayload, signature] =
        request.headers.get('Authorization')?.split('.') ?? [];
      const isSame = givenHead === head && givenPayload === payload;
      if (isSame && signature) letIn(request, context);
    },
  }),
});
