// SPDX-License-Identifier: Apache-2.0
// Lists of numbered nodes, for policies; each node is in at most one list. Moving a node costs a
// few stores and no allocation. 8 bytes per node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace outcore {

class SlotLists {
 public:
  using Node = std::uint32_t;

  // Nodes are below `nodes`, lists below `lists`. All lists begin empty.
  SlotLists(Node nodes, unsigned lists)
      : nodes_(nodes), links_(std::size_t{nodes} + lists), sizes_(lists, 0) {
    for (Node head = nodes; head < links_.size(); ++head) links_[head] = {head, head};
  }

  void push_front(unsigned list, Node node) {
    const Node head = nodes_ + list;
    const Node first = links_[head].after;
    links_[node] = {head, first};
    links_[first].before = node;
    links_[head].after = node;
    ++sizes_[list];
  }
  void remove(unsigned list, Node node) {
    const Link link = links_[node];
    links_[link.before].after = link.after;
    links_[link.after].before = link.before;
    --sizes_[list];
  }
  // REQUIRES: the list is not empty.
  [[nodiscard]] Node back(unsigned list) const { return links_[nodes_ + list].before; }
  Node pop_back(unsigned list) {
    const Node node = back(list);
    remove(list, node);
    return node;
  }
  [[nodiscard]] Node size(unsigned list) const { return sizes_[list]; }
  [[nodiscard]] bool empty(unsigned list) const { return sizes_[list] == 0; }

 private:
  struct Link {
    Node before;
    Node after;
  };
  Node nodes_;  // heads of lists are numbered after these
  std::vector<Link> links_;
  std::vector<Node> sizes_;
};

}  // namespace outcore
