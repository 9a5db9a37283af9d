import { type Mutant, mutant } from './mutant.ts';
import { callAgain, changeText } from './support/gateway.ts';

export const gatewayStreams: readonly Mutant[] = [
  mutant('GW-SSE', 'the tenth event of a stream is lost', (context) => ({
    async request(request) {
      if (!request.path.endsWith('/events') || !request.target.includes('count=50')) return;
      const response = await callAgain(context, request);
      changeText((text) =>
        text
          .split('\n\n')
          .filter((_, index) => index !== 9)
          .join('\n\n'),
      )(response);
      return response;
    },
  })),
  mutant('GW-SSE-UNBUFFERED', 'an event stream is buffered until it ends', {
    buffersEvents: true,
  }),
];
