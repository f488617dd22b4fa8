// SPDX-License-Identifier: Apache-2.0
// What fails is replaced by a message in its place; the rest of the page lives on.
import { Component, type ComponentChildren } from "preact";

interface Props {
  readonly what: string;
  readonly children: ComponentChildren;
}

export class Boundary extends Component<Props, { readonly message: string | null }> {
  override state = { message: null };

  static override getDerivedStateFromError(error: unknown) {
    return { message: error instanceof Error ? error.message : String(error) };
  }

  override render() {
    const { what, children } = this.props;
    if (this.state.message === null) return children;
    return (
      <div class="failed" role="alert">
        <strong>{what} could not be shown.</strong>
        <p>
          An error in the page itself: <code>{this.state.message}</code>
        </p>
        <button type="button" onClick={() => this.setState({ message: null })}>
          Try again
        </button>
      </div>
    );
  }
}
