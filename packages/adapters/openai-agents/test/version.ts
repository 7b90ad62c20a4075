import * as agents from '@openai/agents'

/** Whether the installed SDK is one of the oldest, without namespaces for tools. */
export const isOldest: boolean = !('toolNamespace' in agents)
