import type { GatewayCall } from '../../trial/gateway-tool.ts';
import type { Trial } from '../../trial/trial.ts';
import { type DispositionOrder, orderDisposition } from './order-disposition.ts';

/** The answer must carry a Content-Disposition of type `attachment`. */
export async function expectAttachment(
  t: Trial,
  order: DispositionOrder,
  call: GatewayCall,
): Promise<void> {
  const { what, types, came } = await orderDisposition(t, order, call);
  const message = `${what}: Content-Disposition must be attachment, not ${came}`;
  t.expect(types.includes('attachment'), message);
}

/** The answer must carry no Content-Disposition at all. */
export async function expectNone(
  t: Trial,
  order: DispositionOrder,
  call: GatewayCall,
): Promise<void> {
  const { what, exchange, came } = await orderDisposition(t, order, call);
  const values = exchange.received.all('content-disposition');
  t.expect(values.length === 0, `${what}: there must be no Content-Disposition, not ${came}`);
}
