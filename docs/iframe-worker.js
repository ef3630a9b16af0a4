// Search without a server: browsers refuse workers to pages that are opened from a file, so a hidden frame does the work.
if (location.protocol === "file:") {
  window.IFrameWorker = class extends EventTarget {
    constructor(script) {
      super()
      const frame = document.createElement("iframe")
      frame.hidden = true
      document.body.appendChild(frame)
      this.inside = frame.contentWindow
      this.inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }))
      this.inside.importScripts = (...urls) => Promise.all(urls.map((url) => this.load(url)))
      this.ready = this.load(script)
    }

    load(url) {
      return new Promise((resolve, reject) => {
        const element = this.inside.document.createElement("script")
        Object.assign(element, { src: new URL(url, document.baseURI).href, onload: resolve, onerror: reject })
        this.inside.document.body.appendChild(element)
      })
    }

    postMessage(data) {
      this.ready.then(() => this.inside.dispatchEvent(new MessageEvent("message", { data })))
    }

    terminate() {
      this.inside.frameElement.remove()
    }
  }
  window.Worker = window.IFrameWorker
}
