// SPDX-License-Identifier: Apache-2.0
#include "workloads/graphs/generate.h"

#include <map>
#include <memory>
#include <string>

#include "cli/graph_building.h"
#include "cli/verbs.h"
#include "common/stopwatch.h"

namespace outcore {

namespace {

struct Target {
  std::string folder;
  unsigned threads = 0;
  bool force = false;
  bool json = false;

  void add_to(CLI::App& app) {
    app.add_option("graph", folder, "Folder of the new graph")->required();
    app.add_option("--threads", threads, "Threads; 0: every core")->capture_default_str();
    app.add_flag("--force", force, "Replace an existing graph");
    app.add_flag("--json", json, "Print for programs what was made");
  }
};

// What every kind has.
void add_seed_and_ids(CLI::App& app, std::uint64_t& seed, IdOrder& ids) {
  app.add_option("--seed", seed, "Same seed, same graph")->capture_default_str();
  std::map<std::string, IdOrder> orders;
  for (const IdOrder order : {IdOrder::in_order, IdOrder::reversed, IdOrder::random}) {
    orders[name_of(order)] = order;
  }
  app.add_option("--ids", ids, "Ids as the vertices lie, the other way round, or at random")
      ->transform(CLI::CheckedTransformer(orders))
      ->default_str(name_of(ids));
}

// Makes the graph and says what it is.
void build(const Target& target, const auto& make, const auto& options) {
  const Stopwatch watch;
  make(options, target.folder, target.threads, target.force);
  print_generated(target.folder, watch.seconds(), target.json);
}

void add_kronecker(CLI::App& generate) {
  struct GenerateArgs : Target, KroneckerOptions {};
  const auto args = std::make_shared<GenerateArgs>();
  CLI::App* app = generate.add_subcommand(
      "kronecker", "Kronecker graph with the parameters of Graph500 and the GAP suite");
  app->add_option("--scale", args->scale, "2^scale vertices")->capture_default_str();
  app->add_option("--degree", args->degree, "Edges per vertex, before duplicates are dropped")
      ->capture_default_str();
  add_seed_and_ids(*app, args->seed, args->ids);
  app->add_flag("--symmetric", args->symmetric, "Store each edge in both directions");
  args->add_to(*app);
  app->footer(
      "Example: outcore generate kronecker --scale 20 --degree 16 --seed 1 --symmetric "
      "graphs/kron20");
  app->callback([args] { build(*args, generate_kronecker, *args); });
}

void add_rmat(CLI::App& generate) {
  struct GenerateArgs : Target, RmatOptions {};
  const auto args = std::make_shared<GenerateArgs>();
  CLI::App* app = generate.add_subcommand(
      "rmat", "R-MAT graph with the quadrants' probabilities of your choice");
  app->add_option("--scale", args->scale, "2^scale vertices")->capture_default_str();
  app->add_option("--degree", args->degree, "Edges per vertex, before duplicates are dropped")
      ->capture_default_str();
  app->add_option("--a", args->a, "Probability of the top left quadrant")->capture_default_str();
  app->add_option("--b", args->b, "Top right")->capture_default_str();
  app->add_option("--c", args->c, "Bottom left; the rest is bottom right")->capture_default_str();
  add_seed_and_ids(*app, args->seed, args->ids);
  app->add_flag("--symmetric", args->symmetric, "Store each edge in both directions");
  args->add_to(*app);
  app->footer("Example: outcore generate rmat --scale 20 --a 0.65 --b 0.15 --c 0.15 graphs/skewed");
  app->callback([args] { build(*args, generate_rmat, *args); });
}

void add_uniform(CLI::App& generate) {
  struct GenerateArgs : Target, UniformOptions {};
  const auto args = std::make_shared<GenerateArgs>();
  CLI::App* app = generate.add_subcommand("uniform", "Every edge is equally likely");
  app->add_option("--vertices", args->vertices, "Vertices")->capture_default_str();
  app->add_option("--degree", args->degree, "Edges per vertex, before duplicates are dropped")
      ->capture_default_str();
  add_seed_and_ids(*app, args->seed, args->ids);
  app->add_flag("--symmetric", args->symmetric, "Store each edge in both directions");
  args->add_to(*app);
  app->footer("Example: outcore generate uniform --vertices 1000000 --degree 16 graphs/uniform1m");
  app->callback([args] { build(*args, generate_uniform, *args); });
}

void add_barabasi_albert(CLI::App& generate) {
  struct GenerateArgs : Target, BarabasiAlbertOptions {};
  const auto args = std::make_shared<GenerateArgs>();
  CLI::App* app = generate.add_subcommand(
      "barabasi-albert", "Preferential attachment: low ids become hubs; always symmetric");
  app->add_option("--vertices", args->vertices, "Vertices")->capture_default_str();
  app->add_option("--degree", args->degree, "Edges of a new vertex, before duplicates are dropped")
      ->capture_default_str();
  add_seed_and_ids(*app, args->seed, args->ids);
  args->add_to(*app);
  app->footer("Example: outcore generate barabasi-albert --vertices 1000000 --degree 8 graphs/ba");
  app->callback([args] { build(*args, generate_barabasi_albert, *args); });
}

void add_small_world(CLI::App& generate) {
  struct GenerateArgs : Target, SmallWorldOptions {};
  const auto args = std::make_shared<GenerateArgs>();
  CLI::App* app =
      generate.add_subcommand("small-world", "Ring with rewired edges, always symmetric");
  app->add_option("--vertices", args->vertices, "Vertices")->capture_default_str();
  app->add_option("--degree", args->degree, "Neighbours of a vertex on the ring, an even number")
      ->capture_default_str();
  app->add_option("--rewire", args->rewire, "Share of edges that get a random end")
      ->capture_default_str();
  add_seed_and_ids(*app, args->seed, args->ids);
  args->add_to(*app);
  app->footer("Example: outcore generate small-world --vertices 1000000 --rewire 0.05 graphs/sw");
  app->callback([args] { build(*args, generate_small_world, *args); });
}

void add_hostweb(CLI::App& generate) {
  struct GenerateArgs : Target, HostWebOptions {};
  const auto args = std::make_shared<GenerateArgs>();
  CLI::App* app = generate.add_subcommand(
      "hostweb", "Web pages ordered by URL: most links stay inside a host, some chains are deep");
  app->add_option("--vertices", args->vertices, "Vertices")->capture_default_str();
  app->add_option("--degree", args->degree, "Links of a page, before duplicates are dropped")
      ->capture_default_str();
  app->add_option("--chain", args->chain, "Pages of the longest chains; half the diameter")
      ->capture_default_str();
  add_seed_and_ids(*app, args->seed, args->ids);
  app->add_flag("--symmetric", args->symmetric, "Store each edge in both directions");
  args->add_to(*app);
  app->footer("Example: outcore generate hostweb --vertices 1000000 --symmetric graphs/web1m");
  app->callback([args] { build(*args, generate_hostweb, *args); });
}

void add_grid(CLI::App& generate) {
  struct GenerateArgs : Target, GridOptions {};
  const auto args = std::make_shared<GenerateArgs>();
  CLI::App* app = generate.add_subcommand("grid", "Grid of four neighbours, always symmetric");
  app->add_option("--rows", args->rows, "Rows")->capture_default_str();
  app->add_option("--columns", args->columns, "Columns")->capture_default_str();
  app->add_option("--missing", args->missing, "Share of edges left out at random")
      ->capture_default_str();
  app->add_flag("--torus", args->torus, "Link the last of each row and column to its first");
  add_seed_and_ids(*app, args->seed, args->ids);
  args->add_to(*app);
  app->footer(
      "Example: outcore generate grid --rows 1024 --columns 1024 graphs/grid1k\n"
      "         outcore generate grid --rows 1000000 --columns 2 graphs/ladder");
  app->callback([args] { build(*args, generate_grid, *args); });
}

void add_comb(CLI::App& generate) {
  struct GenerateArgs : Target, CombOptions {};
  const auto args = std::make_shared<GenerateArgs>();
  CLI::App* app = generate.add_subcommand(
      "comb", "Path of which each vertex begins another; without teeth a path; always symmetric");
  app->add_option("--spine", args->spine, "Vertices of the path")->capture_default_str();
  app->add_option("--tooth", args->tooth, "Vertices of each path that begins there; 0: none")
      ->capture_default_str();
  add_seed_and_ids(*app, args->seed, args->ids);
  args->add_to(*app);
  app->footer(
      "Example: outcore generate comb --spine 1000000 --tooth 0 graphs/path\n"
      "         outcore generate comb --spine 1000 --tooth 999 --ids random graphs/comb");
  app->callback([args] { build(*args, generate_comb, *args); });
}

void add_band(CLI::App& generate) {
  struct GenerateArgs : Target, BandOptions {};
  const auto args = std::make_shared<GenerateArgs>();
  CLI::App* app = generate.add_subcommand(
      "band", "Path of which each vertex knows the next few, always symmetric");
  app->add_option("--vertices", args->vertices, "Vertices")->capture_default_str();
  app->add_option("--width", args->width, "How many of the next ones a vertex knows")
      ->capture_default_str();
  add_seed_and_ids(*app, args->seed, args->ids);
  args->add_to(*app);
  app->footer("Example: outcore generate band --vertices 1000000 --width 8 graphs/band");
  app->callback([args] { build(*args, generate_band, *args); });
}

void add_tree(CLI::App& generate) {
  struct GenerateArgs : Target, TreeOptions {};
  const auto args = std::make_shared<GenerateArgs>();
  CLI::App* app = generate.add_subcommand("tree", "Complete tree, or a star, always symmetric");
  app->add_option("--vertices", args->vertices, "Vertices")->capture_default_str();
  app->add_option("--children", args->children, "Of each vertex; as many as there are: a star")
      ->capture_default_str();
  add_seed_and_ids(*app, args->seed, args->ids);
  args->add_to(*app);
  app->footer(
      "Example: outcore generate tree --vertices 1000000 graphs/tree\n"
      "         outcore generate tree --vertices 1000001 --children 1000000 graphs/star");
  app->callback([args] { build(*args, generate_tree, *args); });
}

void add_cliques(CLI::App& generate) {
  struct GenerateArgs : Target, CliquesOptions {};
  const auto args = std::make_shared<GenerateArgs>();
  CLI::App* app = generate.add_subcommand(
      "cliques", "Many complete graphs, apart or in a chain, always symmetric");
  app->add_option("--cliques", args->cliques, "Complete graphs")->capture_default_str();
  app->add_option("--size", args->size, "Vertices of each")->capture_default_str();
  app->add_flag("--chain", args->chain, "Link the last vertex of each to the first of the next");
  add_seed_and_ids(*app, args->seed, args->ids);
  args->add_to(*app);
  app->footer("Example: outcore generate cliques --cliques 200000 --size 5 graphs/k5");
  app->callback([args] { build(*args, generate_cliques, *args); });
}

void add_geometric(CLI::App& generate) {
  struct GenerateArgs : Target, GeometricOptions {};
  const auto args = std::make_shared<GenerateArgs>();
  CLI::App* app = generate.add_subcommand(
      "geometric", "Points thrown into a square, linked where they are near; always symmetric");
  app->add_option("--vertices", args->vertices, "Points")->capture_default_str();
  app->add_option("--degree", args->degree, "Neighbours of a point on average, away from the rim")
      ->capture_default_str();
  add_seed_and_ids(*app, args->seed, args->ids);
  args->add_to(*app);
  app->footer("Example: outcore generate geometric --vertices 1000000 --degree 8 graphs/geo1m");
  app->callback([args] { build(*args, generate_geometric, *args); });
}

void add_bipartite(CLI::App& generate) {
  struct GenerateArgs : Target, BipartiteOptions {};
  const auto args = std::make_shared<GenerateArgs>();
  CLI::App* app = generate.add_subcommand(
      "bipartite", "Random edges from one side to the other, as from users to things");
  app->add_option("--left", args->left, "Vertices on the left, the first ones")
      ->capture_default_str();
  app->add_option("--right", args->right, "Vertices on the right")->capture_default_str();
  app->add_option("--degree", args->degree,
                  "Edges of a vertex on the left, before duplicates are dropped")
      ->capture_default_str();
  add_seed_and_ids(*app, args->seed, args->ids);
  app->add_flag("--symmetric", args->symmetric, "Store each edge in both directions");
  args->add_to(*app);
  app->footer(
      "Example: outcore generate bipartite --left 1000000 --right 1000 --degree 4 graphs/likes");
  app->callback([args] { build(*args, generate_bipartite, *args); });
}

void add_islands(CLI::App& generate) {
  struct GenerateArgs : Target, IslandsOptions {};
  const auto args = std::make_shared<GenerateArgs>();
  CLI::App* app = generate.add_subcommand(
      "islands", "One large component and many small ones; always symmetric");
  app->add_option("--vertices", args->vertices, "Vertices of the large component")
      ->capture_default_str();
  app->add_option("--degree", args->degree, "Edges of each, before duplicates are dropped")
      ->capture_default_str();
  app->add_option("--islands", args->islands, "Small components")->capture_default_str();
  app->add_option("--size", args->size, "Vertices of each, on a path")->capture_default_str();
  add_seed_and_ids(*app, args->seed, args->ids);
  args->add_to(*app);
  app->footer("Example: outcore generate islands --vertices 1000000 --islands 100000 graphs/sea");
  app->callback([args] { build(*args, generate_islands, *args); });
}

}  // namespace

void add_generate(CLI::App& app) {
  CLI::App* generate =
      app.add_subcommand("generate", "Make a synthetic graph of a kind that papers use");
  generate->require_subcommand(1);
  generate->footer(
      "Example: outcore generate kronecker --scale 20 --symmetric graphs/kron20\n"
      "The same seed gives the same bytes with any number of threads.");
  add_kronecker(*generate);
  add_rmat(*generate);
  add_uniform(*generate);
  add_barabasi_albert(*generate);
  add_small_world(*generate);
  add_hostweb(*generate);
  add_grid(*generate);
  add_comb(*generate);
  add_band(*generate);
  add_tree(*generate);
  add_cliques(*generate);
  add_geometric(*generate);
  add_bipartite(*generate);
  add_islands(*generate);
}

}  // namespace outcore
