/** Keep large tool results out of the context of agents built with Google's Agent Development Kit. */
export {}
