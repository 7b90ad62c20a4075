import * as testing from 'ai/test'

/** Whether the installed SDK is version 7, the only version with models of the fourth specification. */
export const isVersion7: boolean = 'MockLanguageModelV4' in testing
