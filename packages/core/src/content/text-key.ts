/** The key under which the text of a document is stored, beside the document itself under its own. */
export const textKey = (key: string): string => `${key}_text`
