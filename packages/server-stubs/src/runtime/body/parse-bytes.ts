import type { Content } from '../route-table.ts';
import type { Limits } from '../settings.ts';
import type { ReadBody } from './create-body-reader.ts';
import { createDecoder, decodeUtf8, isUtf8Charset } from './decode-bytes.ts';
import { malformed, unsupported } from './faults.ts';
import type { MediaType } from './media-type.ts';
import { parseForm } from './parse-form.ts';
import { parseJson } from './parse-json.ts';

/** The value of a body that was read whole: JSON, text or form. */
export function parseBytes(
  bytes: Buffer,
  content: Content,
  { charset }: MediaType,
  limits: Limits,
): ReadBody {
  if (content.kind === 'text' && charset !== undefined && !isUtf8Charset(charset)) {
    return parseLegacy(bytes, content, charset);
  }
  const text = decodeUtf8(bytes);
  if (text === undefined) return { fault: malformed('The body is not UTF-8.') };
  return parseText(text, content, limits);
}

/** The same for a text that is decoded already. */
export function parseText(text: string, content: Content, limits: Limits): ReadBody {
  if (content.kind === 'json') {
    const parsed = parseJson(text, limits.jsonDepth);
    return parsed.problem === undefined
      ? { value: parsed.value, content }
      : { fault: malformed(`The JSON in the body ${parsed.problem}.`) };
  }
  if (content.kind === 'form') {
    const form = parseForm(text, limits.formFields);
    return 'fault' in form ? form : { value: form.value, content };
  }
  return { value: text, content };
}

function parseLegacy(bytes: Buffer, content: Content, charset: string): ReadBody {
  const decoder = createDecoder(charset);
  if (!decoder) {
    return {
      fault: unsupported(`The charset ${charset} is unknown; send UTF-8.`, content.mediaType),
    };
  }
  try {
    return { value: decoder.decode(bytes), content };
  } catch {
    return { fault: malformed(`The body is not ${charset}.`) };
  }
}
