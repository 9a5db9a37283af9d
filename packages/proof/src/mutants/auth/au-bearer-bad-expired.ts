import { defineMutant } from '../mutant.ts';
import { letIn } from '../support/signature.ts';

function readClaims(payload: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(Buffer.from(payload, 'base64url').toString()));
  } catch {
    return {};
  }
}

export const auBearerBadExpired = defineMutant({
  rule: 'AU-BEARER-BAD',
  breaks: 'an expired token is let in',
  companions: [],
  create: (context) => ({
    request(request) {
      const [, payload = ''] = request.headers.get('Authorization')?.split('.') ?? [];
      const { exp } = readClaims(payload);
      if (typeof exp === 'number' && exp * 1000 < Date.now()) letIn(request, context);
    },
  }),
});
