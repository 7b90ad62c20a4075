import DefaultTheme from 'vitepress/theme'
import { useData, useRoute, type Theme } from 'vitepress'
import { defineAsyncComponent, defineComponent, h, onMounted, watch } from 'vue'
import './style.css'

const Playground = defineAsyncComponent(() => import('./Playground.vue'))

/** Pages are plain Markdown without HTML, so the playground stands below the page whose front matter names it. */
const Layout = defineComponent({
  setup() {
    const { frontmatter } = useData()
    const route = useRoute()
    onMounted(() => watch(() => route.path, markMain, { flush: 'post', immediate: true }))
    return () =>
      h(DefaultTheme.Layout, null, { 'doc-after': () => (frontmatter.value['playground'] ? h(Playground) : null) })
  },
})

/** The theme gives all pages but the first a main landmark. */
function markMain(): void {
  document.querySelector('.VPContent.is-home')?.setAttribute('role', 'main')
}

const theme: Theme = { extends: DefaultTheme, Layout }
export default theme
