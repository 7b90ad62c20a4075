/** Keep large tool results out of the context of agents built with Anthropic's SDK. */
export {}
