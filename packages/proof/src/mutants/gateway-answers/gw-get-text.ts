import { defineMutant } from '../mutant.ts';

export const gwGetText = defineMutant({
  rule: 'GW-GET-TEXT',
  breaks: 'line ends of a plain text become LF',
  companions: [],
  create: () => ({
    answer(answer, { isGateway, method }) {
      if (!isGateway || method !== 'GET' || answer.headers.get('content-type') !== 'text/plain')
        return;
      const text = answer.body.toString('latin1').replaceAll('\r\n', '\n');
      answer.body = Buffer.from(text, 'latin1');
    },
  }),
});
