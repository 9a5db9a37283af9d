import { defineMutant } from '../mutant.ts';

export const gwSse = defineMutant({
  rule: 'GW-SSE',
  breaks: 'the tenth event of a stream is lost',
  companions: [],
  create: ({ call }) => ({
    async request({ method, target, path, headers, body }) {
      if (!path.endsWith('/events') || !target.includes('count=50')) return;
      const given = Object.fromEntries(headers.list);
      const answer = await call({ method, target, headers: given, body });
      const events = answer.body.toString().split('\n\n');
      answer.body = Buffer.from(events.filter((_, index) => index !== 9).join('\n\n'));
      return answer;
    },
  }),
});
