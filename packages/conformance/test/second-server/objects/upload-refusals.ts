/**
 * Errors of the upload target, as an XML document with an `Error` element. The contract knows neither
 * their codes nor their statuses; `ok` marks those that are 200 where only some are.
 */
export const uploadRefusals = {
  NotAnUpload: { status: 405, ok: false, message: 'Send a form here by POST.' },
  NoSuchTicket: { status: 410, ok: false, message: 'The ticket is unknown, used or too old.' },
  UnreadableForm: { status: 422, ok: false, message: 'The body is no whole form.' },
  FieldMissing: { status: 422, ok: true, message: 'A field of the form is missing.' },
  FieldMismatch: { status: 409, ok: false, message: 'A field is not what the ticket says.' },
  FileTooBig: { status: 409, ok: true, message: 'The file is too big.' },
} as const;

export type UploadRefusal = keyof typeof uploadRefusals;
