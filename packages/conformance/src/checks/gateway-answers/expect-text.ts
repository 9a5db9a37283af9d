import type { GatewayCall } from '../../trial/gateway-tool.ts';
import type { Trial } from '../../trial/trial.ts';
import { cite } from '../support/cite.ts';
import { orderAnswer } from '../support/order-answer.ts';

const TEXTS = [
  '',
  'hello',
  ' two\r\nlines\n\n',
  '{"not":"an object"}',
  '中文 é 🙂',
  '<b>&amp;</b>',
];

/** The caller must get plain texts with 200, as the service has answered. */
export async function expectText(t: Trial, call: GatewayCall): Promise<void> {
  const orders = TEXTS.flatMap((body, index) => [
    { body, type: 'text/plain', chunked: index % 2 === 0 },
    { body, type: 'text/plain; charset=utf-8', chunked: index % 2 === 1 },
  ]);
  for (const order of orders) {
    const { received } = await orderAnswer(t, order, call);
    const { status, mediaType, text } = received;
    const what = `${call.method} /answer ${JSON.stringify(order.body)}`;
    t.expect(status === 200, `${what}: the status must be 200, not ${status}`);
    t.expect(
      mediaType === 'text/plain',
      `${what}: the content type must be text/plain, not ${cite(mediaType)}`,
    );
    const came = JSON.stringify(text.slice(0, 200));
    t.expect(text === order.body, `${what}: the text must be the service's, not ${came}`);
  }
}
