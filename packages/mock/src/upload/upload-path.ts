/** Path of the upload target in the storage document. */
export const UPLOAD_PATH = '/';
