import { isSameType } from '../../contract/media-type.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { AnswerOrder } from '../../trial/fixture-tool.ts';
import type { GatewayCall } from '../../trial/gateway-tool.ts';
import type { Trial } from '../../trial/trial.ts';
import { cite } from '../support/cite.ts';
import { orderAnswer } from '../support/order-answer.ts';
import { listDispositionTypes } from './list-disposition-types.ts';

/** An order of an answer, with the dispositions that the service sets itself. */
export interface DispositionOrder extends Omit<AnswerOrder, 'headers'> {
  own?: readonly string[];
}

export interface Disposition {
  exchange: Exchange;
  /** Names the case: `POST /answer 200 text/html, inline of the service` */
  what: string;
  /** What came, for a message. */
  came: string;
  /** The types of every Content-Disposition that came, in lower case. */
  types: string[];
}

/**
 * Orders an answer and reads its disposition. Where the answer has not come with the status and content
 * type of the service, the check is not reached: what applies then is open.
 */
export async function orderDisposition(
  t: Trial,
  { own = [], ...order }: DispositionOrder,
  call: GatewayCall,
): Promise<Disposition> {
  const { status = 200 } = order;
  const headers = own.map((value) => ['Content-Disposition', value] as const);
  const content = order.size === undefined ? { body: order.body ?? 'a' } : {};
  const exchange = await orderAnswer(t, { ...order, ...content, headers }, call);
  const { received } = exchange;
  const type = received.header('content-type');
  t.reach(
    received.status === status && (order.type === undefined || isSameType(order.type, type)),
    `an answer of ${status} ${order.type} came as ${received.status} ${type}`,
  );
  const values = received.all('content-disposition');
  return {
    exchange,
    what: `${call.method} /answer ${[status, order.type ?? 'without a type', ...own].join(', ')}`,
    came: values.map(cite).join(' and ') || 'none',
    types: listDispositionTypes(values),
  };
}
