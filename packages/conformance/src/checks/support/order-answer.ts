import type { Exchange } from '../../http/exchange.ts';
import type { AnswerOrder } from '../../trial/fixture-tool.ts';
import type { GatewayCall } from '../../trial/gateway-tool.ts';
import type { Trial } from '../../trial/trial.ts';

/**
 * Orders an answer from the fixture service and returns what came. Where the order did not arrive as it
 * was given, the check is not reached: that is a matter of the rules about paths and queries.
 */
export async function orderAnswer(
  t: Trial,
  order: AnswerOrder,
  call: GatewayCall = {},
): Promise<Exchange> {
  const mark = t.uniqueName();
  const exchange = await t.gateway.call({ ...call, path: t.fixture.answer({ ...order, mark }) });
  const { received } = exchange;
  const { parameter } = Object(received.json);
  const isMisread = received.status === 400 && order.status !== 400 && parameter !== undefined;
  t.reach(!t.fixture.readEcho(exchange) && !isMisread, 'the order did not reach the fixture');
  // What the fixture answers to an order without a query.
  const isBare = received.body.length === 0 && received.mediaType === undefined;
  if (isBare && received.status === 200 && order.type !== undefined) {
    t.reach((await t.fixture.count(mark)) > 0, 'the query of the order did not reach the fixture');
  }
  return exchange;
}
