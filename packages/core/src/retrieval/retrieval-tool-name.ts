/** The name under which the model knows the retrieval tool. */
export const RETRIEVAL_TOOL_NAME = 'retrieve_offloaded_content'
