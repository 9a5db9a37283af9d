import { defineMutant } from '../mutant.ts';

export const auBearerBadPage = defineMutant({
  rule: 'AU-BEARER-BAD',
  breaks: 'a token that is no JSON Web Token is answered with 500',
  companions: [],
  create: () => ({
    answer(answer, { isGateway, headers }) {
      const value = headers.get('Authorization') ?? '';
      if (isGateway && value === 'Bearer undefined') answer.status = 500;
    },
  }),
});
