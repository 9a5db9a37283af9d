import { randomUUID } from 'node:crypto';
import { defineMutant } from '../mutant.ts';

export const gwRequestIdEqual = defineMutant({
  rule: 'GW-REQUEST-ID-EQUAL',
  breaks: 'the requestId of an error on POST is another one',
  companions: [],
  create: () => ({
    answer(answer, { isGateway, method }) {
      if (!isGateway || method !== 'POST' || answer.json?.code !== 'SERVICE_NOT_FOUND') return;
      answer.json = { ...answer.json, requestId: randomUUID() };
    },
  }),
});
