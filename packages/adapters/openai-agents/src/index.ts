/** Keep large tool results out of the context of agents built with the OpenAI Agents SDK. */
export {}
