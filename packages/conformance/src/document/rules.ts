/**
 * The rules that a deployment of any OpenAPI document must follow. They are separate from the rules of the
 * contract. Each rule has a result for each operation, such as `DOC-STATUS GET /items`.
 */
export const DOCUMENT_RULES = {
  'DOC-STATUS': 'The status of every response to a valid request is documented.',
  'DOC-MEDIA': 'The content type of every response is documented for its status.',
  'DOC-SCHEMA': 'The body of every response matches the schema for its status and media type.',
  'DOC-HEADER': 'Every response has all required headers, and its headers match their schemas.',
  'DOC-INVALID': 'A request that violates a constraint of the document is rejected with a 4xx.',
  'DOC-5XX': 'The response to a request is never a 5xx, except for a documented 501 or 503.',
  'DOC-SSE': "The data of every event in an event stream matches the stream's schema.",
  'DOC-SEQUENCE':
    'An item that a list returns or a request creates can be read until it is deleted. Documented links can be followed.',
} as const;

export type DocumentRule = keyof typeof DOCUMENT_RULES;

export const DOCUMENT_RULE_IDS = Object.keys(DOCUMENT_RULES) as DocumentRule[];
