import type { Metadata } from '../storage/storage.ts'

const MAX_TOOL_NAME_LENGTH = 200

/** Return what is kept beside offloaded content: the tool to run again once it is gone, never its arguments. */
export const toolMetadata = (toolName: string): Metadata => ({ tool: toolName.slice(0, MAX_TOOL_NAME_LENGTH) })
