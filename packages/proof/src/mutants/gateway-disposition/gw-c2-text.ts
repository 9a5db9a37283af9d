import { defineMutant } from '../mutant.ts';

const TEXTS = ['application/json', 'text/plain'];

export const gwC2Text = defineMutant({
  rule: 'GW-C2-TEXT',
  breaks: 'text types are compared with their case',
  companions: [],
  create: () => ({
    answer(answer, { isGateway, method }) {
      const type = answer.headers.get('content-type') ?? '';
      if (!isGateway || method !== 'POST' || !TEXTS.includes(type.toLowerCase())) return;
      if (!TEXTS.includes(type)) answer.headers.set('Content-Disposition', 'attachment');
    },
  }),
});
