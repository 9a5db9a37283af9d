import { defaultWireProfile, type WireProfile } from '@berth/spec/wire-profile';

/** The contract's name for the field of the upload metadata (D1). */
const NEUTRAL = defaultWireProfile.storeFileID;

interface Envelope {
  readonly statusCode: number;
  readonly body: { readonly data?: unknown };
}

/**
 * Converts the body of a storage response to the form of a deployment: with its name for `storeFileID` (D1),
 * and without the envelope if its responses are flat (D20). Anything but an envelope is returned as is.
 *
 * @example
 * toWireForm({ statusCode: 200, body: { requestId, data } }, profile); // flat: { requestId, data }
 */
export function toWireForm(
  body: unknown,
  { storeFileID, envelope }: Pick<WireProfile, 'storeFileID' | 'envelope'>,
): unknown {
  if (!isEnvelope(body)) return body;
  const content = renameField(body.body, storeFileID);
  return envelope === 'flat' ? content : { ...body, body: content };
}

function isEnvelope(body: unknown): body is Envelope {
  const { statusCode, body: inner } = Object(body) as Partial<Envelope>;
  return typeof statusCode === 'number' && typeof inner === 'object' && inner !== null;
}

function renameField(content: Envelope['body'], storeFileID: string): Envelope['body'] {
  const data = content.data as Readonly<Record<string, unknown>> | null | undefined;
  if (storeFileID === NEUTRAL || !data || !Object.hasOwn(data, NEUTRAL)) return content;
  const { [NEUTRAL]: value, ...others } = data;
  return { ...content, data: { ...others, [storeFileID]: value } };
}
