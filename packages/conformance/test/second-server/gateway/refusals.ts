/**
 * What the gateway itself answers. Of the codes and statuses only those of `SERVICE_NOT_FOUND` and
 * `SERVICE_FORBIDDEN` are promised by the contract; that bad calls get a 4xx is, too.
 */
export const refusals = {
  SERVICE_NOT_FOUND: { status: 404, message: 'Nobody deployed a service of this name.' },
  SERVICE_FORBIDDEN: { status: 403, message: 'This service is closed to you.' },
  SERVICE_TIMEOUT: { status: 500, message: 'The service is too slow.' },
  UPSTREAM_BROKEN: { status: 500, message: 'The service hung up.' },
  NO_AUTH: { status: 400, message: 'Who are you?' },
  BAD_TOKEN: { status: 400, message: 'This token opens nothing here.' },
  BAD_SIGNATURE: { status: 412, message: 'The signature does not fit the call.' },
  BAD_NAME: { status: 422, message: 'No service can have this name.' },
  BAD_REQUEST: { status: 400, message: 'This is not HTTP.' },
  BODY_TOO_BIG: { status: 400, message: 'The body is too big.' },
  NO_ROUTE: { status: 400, message: 'There is nothing at this path.' },
  TYPE_REFUSED: { status: 406, message: 'Bodies are application/json here.' },
  VERB_UNKNOWN: { status: 501, message: 'Only GET and POST are known here.' },
  WRONG_HOST: { status: 421, message: 'This host name belongs to another environment.' },
} as const;

export type RefusalCode = keyof typeof refusals;
