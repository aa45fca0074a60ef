// SPDX-License-Identifier: Apache-2.0
// How the class of an engine becomes an entry of the registry. The class has
//
//   using Reads = Layout;                             // or EdgeLayout, or OpenedStore
//   static constexpr EngineTraits kTraits = {...};
//   static std::vector<Parameter> parameters();       // if it has parameters
//   static PublishedForm published();                 // if its paper comes with a program
//   static constexpr unsigned kDepth = ...;           // if its default is not 64 requests in
//                                                     flight
//   static constexpr std::uint32_t kMaxRequest = ...; // if its default is not requests of 64 KB
//   static std::string usual_backend(const Parameters&);  // if its default is not uring
//   static EngineTraits traits_with(const Parameters&);   // if its parameters change its traits
//   static LayoutChoices choices_for(const LayoutChoices&, EdgeIndex edges, std::uint64_t frames);
//                                                     // if its layout depends on the frames
//   static std::unique_ptr<Engine> make(const Reads&, const EngineOptions&);  // if some graphs
//                                                     // want another class
//
// and a constructor (const Reads&, const EngineOptions&).
#pragma once

#include <memory>
#include <string>

#include "engines/engine.h"

namespace outcore {

template <typename E>
EngineEntry engine_entry(const std::string& name, const std::string& help) {
  using Reads = typename E::Reads;
  EngineEntry entry{.name = name, .help = help, .reads = Reads::kKind, .traits = E::kTraits};
  if constexpr (requires { E::parameters(); }) entry.parameters = E::parameters();
  if constexpr (requires { E::published(); }) {
    entry.published = E::published();
    entry.parameters.push_back(form_parameter(*entry.published));
  }
  if constexpr (requires { E::kDepth; }) entry.depth = E::kDepth;
  if constexpr (requires { E::kMaxRequest; }) entry.max_request = E::kMaxRequest;
  entry.usual_backend = [parameters = entry.parameters,
                         published = entry.published](const Parameters& settings) -> std::string {
    if (is_published(settings) && !published->backend.empty()) return published->backend;
    if constexpr (requires { E::usual_backend(settings); }) {
      return E::usual_backend(settings.or_defaults(parameters));
    }
    return kUsualBackend;
  };
  entry.traits_with = [parameters = entry.parameters](const Parameters& settings) {
    if constexpr (requires { E::traits_with(settings); }) {
      return E::traits_with(settings.or_defaults(parameters));
    } else {
      return E::kTraits;
    }
  };
  entry.choices_for = [](const LayoutChoices& choices, EdgeIndex edges, std::uint64_t frames) {
    if constexpr (requires { E::choices_for(choices, edges, frames); }) {
      return E::choices_for(choices, edges, frames);
    } else {
      return choices;
    }
  };
  entry.build = [usual = entry.usual_backend](const OpenedGraph& graph,
                                              const EngineOptions& options) {
    EngineOptions complete = options;
    if (complete.backend.empty()) complete.backend = usual(options.settings);
    std::unique_ptr<Engine> engine;
    if constexpr (requires { E::make(graph.as<Reads>(), complete); }) {
      engine = E::make(graph.as<Reads>(), complete);
    } else {
      engine = std::make_unique<E>(graph.as<Reads>(), complete);
    }
    if (options.states) engine->keep_states_in(options.states);
    return engine;
  };
  return entry;
}

}  // namespace outcore
