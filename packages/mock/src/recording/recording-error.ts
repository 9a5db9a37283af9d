/** A folder of recordings that cannot be used, in one sentence. */
export class RecordingError extends TypeError {
  override readonly name = 'RecordingError';
}
