import * as testing from 'ai/test'

/** Whether the installed SDK is version 7: it alone has models of the fourth specification. */
export const isVersion7: boolean = 'MockLanguageModelV4' in testing
