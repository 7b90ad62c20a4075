import * as agents from '@openai/agents'

/** Whether the installed SDK is one of the oldest: namespaces for tools came later. */
export const isOldest: boolean = !('toolNamespace' in agents)
